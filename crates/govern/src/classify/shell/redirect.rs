//! Redirections: the files that they name and the text that they feed.

use brush_parser::ast::{IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, RedirectList};

use crate::classify::text::Text;

use super::feed::known;
use super::programs::Input;
use super::{Shell, Unclear};

impl Shell<'_> {
    pub(super) fn redirects(&mut self, redirects: Option<&RedirectList>) -> Result<(), Unclear> {
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect)?;
        }
        Ok(())
    }

    /// Walks a redirection; gives the text that it feeds to the command.
    fn redirect(&mut self, redirect: &IoRedirect) -> Result<Option<Text>, Unclear> {
        match redirect {
            IoRedirect::File(_, kind, target) => match target {
                IoFileRedirectTarget::Filename(word) => {
                    for text in self.redirect_values(&word.value)? {
                        match kind {
                            IoFileRedirectKind::Read => self.reads(&text),
                            _ => self.writes(&text, false),
                        }
                    }
                }
                IoFileRedirectTarget::Duplicate(word) => {
                    for text in self.redirect_values(&word.value)? {
                        let is_descriptor = text.as_literal().is_some_and(|text| {
                            text.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
                        });
                        // Another word than a number is a file.
                        if !is_descriptor && matches!(kind, IoFileRedirectKind::DuplicateOutput) {
                            self.writes(&text, false);
                        }
                    }
                }
                IoFileRedirectTarget::Fd(_) => {}
                IoFileRedirectTarget::ProcessSubstitution(_, subshell) => {
                    self.apart(|shell| shell.list(&subshell.list))?;
                }
            },
            IoRedirect::HereDocument(_, document) => {
                let body = &document.doc.value;
                return self.heredoc_value(body, document.requires_expansion).map(Some);
            }
            IoRedirect::HereString(_, word) => {
                let values = self.values(&word.value)?;
                return Ok(Some(match <[Text; 1]>::try_from(values) {
                    Ok([value]) => value,
                    Err(_) => Text::unknown(),
                }));
            }
            IoRedirect::OutputAndError(word, _) => {
                for text in self.redirect_values(&word.value)? {
                    self.writes(&text, false);
                }
            }
        }
        Ok(None)
    }

    /// The files that the word of a redirection may name: unlike an assignment, its value may be split or globbed.
    fn redirect_values(&mut self, raw: &str) -> Result<Vec<Text>, Unclear> {
        Ok(self.readings(raw)?.into_iter().flatten().collect())
    }

    pub(super) fn feed(&mut self, redirect: &IoRedirect, input: &mut Input) -> Result<(), Unclear> {
        if let Some(text) = self.redirect(redirect)? {
            *input = match text.as_literal() {
                Some(text) => Input::Text(text.to_owned()),
                None => Input::Holding(known(&text)),
            };
        } else if matches!(redirect, IoRedirect::File(None | Some(0), IoFileRedirectKind::Read, _)) {
            *input = Input::Piped;
        }
        Ok(())
    }
}
